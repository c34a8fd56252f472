// What the page of a replay has in it: every position, the pack, the photographs, the words.

export const data = JSON.parse(document.getElementById("replay-data").textContent);
document.body.dataset.replay = "yes";
delete document.body.dataset.waits;
