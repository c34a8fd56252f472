// Data of a replay's page: positions, pack, photographs, texts.

export const data = JSON.parse(document.getElementById("replay-data").textContent);
document.body.dataset.replay = "yes";
delete document.body.dataset.waits;
