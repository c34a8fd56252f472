// The phone as camera: its pictures go to the table one after the other, each once the last has arrived. Over its own
// picture it shows what the table sees in it, and says what to change.

import { takeKey } from "./api.js";
import { CameraGuide } from "./camera_guide.js";
import { forbidden, unencrypted } from "./camera_help.js";
import { byId } from "./dom.js";
import { W, fillWords, phrase } from "./words.js";

const WIDEST_PX = 1920;
const QUALITY = 0.85;
const EVERY_MS = 180; // about five pictures a second
const AGAIN_MS = 2000;
const FINAL_CODES = [4403, 4409, 4413, 4415, 4429]; // the table sent this phone away

const room = document.querySelector(".lens");
const view = byId("view");
const guide = new CameraGuide(view, byId("overlay"), byId("guide"), byId("verdict"));
const canvas = document.createElement("canvas");
let stream = null;
let socket = null;
let facing = "environment";
let awake = null;
const CAMERA_KEY = "tilesight-camera-key"; // its own: who opens the dashboard on this phone is no player by it

function say(text, state) {
  byId("said").textContent = text;
  room.dataset.state = state;
}

function showButtons() {
  byId("start").hidden = Boolean(stream);
  byId("intro").hidden = Boolean(stream) || !byId("help").hidden;
  byId("stage").hidden = !stream;
  byId("stop").hidden = !stream;
  byId("turn").hidden = !stream;
}

/** Say how a camera is got here, or with an empty list that none is missing. */
function help(content) {
  byId("help").replaceChildren(...content);
  byId("help").hidden = !content.length;
  showButtons();
}

async function start() {
  help([]);
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: facing, width: { ideal: WIDEST_PX }, height: { ideal: 1080 } } });
  } catch (error) {
    const refused = error.name === "NotAllowedError";
    help(refused ? forbidden() : []);
    say(refused ? W.phone.refused : W.phone.noCamera, "wrong");
    return;
  }
  view.srcObject = stream;
  showButtons();
  await view.play();
  // A phone that goes to sleep is no camera.
  awake = await navigator.wakeLock?.request("screen").catch(() => null);
  connect();
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  view.srcObject = null;
  socket?.close();
  awake?.release();
  guide.clear();
  byId("count").textContent = "";
  showButtons();
  say("", "waiting");
}

async function turn() {
  facing = facing === "environment" ? "user" : "environment";
  stop();
  await start();
}

function connect() {
  if (!stream || socket?.readyState <= WebSocket.OPEN) return;
  const address = new URL("/api/phone", location.href);
  address.protocol = location.protocol.replace("http", "ws");
  const table = new WebSocket(address);
  socket = table;
  say(W.phone.connecting, "waiting");
  table.onopen = () => table.send(JSON.stringify({ key: takeKey(CAMERA_KEY) ?? "" }));
  table.onmessage = ({ data }) => {
    const { frame, seen } = JSON.parse(data);
    if (seen) guide.show(seen);
    say(guide.over ? W.phone.over : W.phone.sending, "sending");
    byId("count").textContent = frame ? W.phone.sent(frame) : "";
    setTimeout(() => send(table), EVERY_MS);
  };
  table.onclose = ({ code, reason }) => {
    if (!stream || socket !== table) return;
    guide.clear();
    if (FINAL_CODES.includes(code)) {
      stop();
      say(phrase(reason), "wrong");
      return;
    }
    say(W.phone.lost, "wrong");
    setTimeout(connect, AGAIN_MS);
  };
}

async function send(table) {
  if (!stream || table.readyState !== WebSocket.OPEN) return;
  if (!view.videoWidth) {
    setTimeout(() => send(table), EVERY_MS);
    return;
  }
  const scale = Math.min(1, WIDEST_PX / view.videoWidth);
  canvas.width = Math.round(view.videoWidth * scale);
  canvas.height = Math.round(view.videoHeight * scale);
  canvas.getContext("2d").drawImage(view, 0, 0, canvas.width, canvas.height);
  const picture = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
  if (table.readyState === WebSocket.OPEN) table.send(picture);
}

fillWords();
const key = takeKey(CAMERA_KEY);
showButtons();
if (!navigator.mediaDevices) {
  const { secure } = room.dataset;
  help(unencrypted(secure && `${secure}/camera${key ? `#key=${encodeURIComponent(key)}` : ""}`));
  byId("start").hidden = true;
}
byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", stop);
byId("turn").addEventListener("click", turn);
