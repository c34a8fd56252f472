// Page of a phone as camera. It sends pictures to the table (at /camera/TABLE: to that table of a club's hub), each
// after the one before was acknowledged. Over its video it shows what the table recognises, and remedies for faults.

import { takeKey } from "./api.js";
import { CameraGuide } from "./camera_guide.js";
import { forbidden, unencrypted } from "./camera_help.js";
import { HubPosts, TableSocket } from "./camera_link.js";
import { byId } from "./dom.js";
import { W, fillWords, phrase } from "./words.js";

const WIDEST_PX = 1920;
const QUALITIES = [0.85, 0.7, 0.5]; // JPEG qualities; the best that is not too large is used
const hubs = location.pathname.startsWith("/camera/") ? decodeURIComponent(location.pathname.slice(8)) : null;
const EVERY_MS = hubs ? 260 : 180; // four to five pictures a second
const AGAIN_MS = 2000;
/** Why there is no camera, by the name of the browser's error; any other is that of a camera in use. */
const NO_CAMERA = { NotAllowedError: "refused", SecurityError: "refused", NotFoundError: "noCamera", OverconstrainedError: "noCamera" };

const room = document.querySelector(".lens");
const view = byId("view");
const guide = new CameraGuide(view, byId("overlay"), byId("guide"), byId("verdict"));
const canvas = document.createElement("canvas");
let stream = null;
let link = null;
let worker = true; // whether the hub has a worker for the table
let facing = "environment";
let awake = null;
const CAMERA_KEY = `tilesight-camera-key${hubs ? `/${hubs}` : ""}`; // separate from the player's key, so that the camera phone is not a player

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

/** Show how to get a camera; an empty list hides the help. */
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
    help(error.name === "NotAllowedError" ? forbidden() : []);
    say(W.phone[NO_CAMERA[error.name] ?? "busy"], "wrong");
    return;
  }
  view.srcObject = stream;
  showButtons();
  await view.play();
  // A phone whose screen is locked sends no pictures, so keep it awake.
  awake = await navigator.wakeLock?.request("screen").catch(() => null);
  connect();
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  view.srcObject = null;
  link?.close();
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
  if (!stream || link?.open) return;
  say(W.phone.connecting, "waiting");
  const hears = {
    took: (told) => link === mine && took(told),
    lost: (reason) => link === mine && lost(reason),
  };
  const key = takeKey(CAMERA_KEY) ?? "";
  const mine = hubs ? new HubPosts(hubs, key, hears) : new TableSocket(key, hears);
  link = mine;
}

/** A picture was received, or the connection is ready for the first: send the next. */
function took({ frame, seen, worker: sees, seeing }) {
  if (seen) guide.show(seen);
  worker = sees ?? worker;
  const over = guide.over || seeing === "ended";
  say(over ? W.phone.over : worker ? W.phone.sending : W.phone.unseen, "sending");
  if (frame) byId("count").textContent = W.phone.sent(frame);
  setTimeout(send, EVERY_MS, link);
}

function lost(reason) {
  if (!stream) return;
  guide.clear();
  if (reason) {
    stop();
    say(phrase(reason.said, reason.message), "wrong");
    return;
  }
  say(W.phone.lost, "wrong");
  setTimeout(connect, AGAIN_MS);
}

async function send(to) {
  if (!stream || link !== to || !to.open) return;
  if (!view.videoWidth) {
    setTimeout(send, EVERY_MS, to);
    return;
  }
  const scale = Math.min(1, WIDEST_PX / view.videoWidth);
  canvas.width = Math.round(view.videoWidth * scale);
  canvas.height = Math.round(view.videoHeight * scale);
  canvas.getContext("2d").drawImage(view, 0, 0, canvas.width, canvas.height);
  to.send(await picture());
}

/** Return the canvas as a JPEG, in the best quality that is not too large. */
async function picture() {
  let jpeg = null;
  for (const quality of QUALITIES) {
    jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
    if (jpeg.size <= Number(room.dataset.most)) break;
  }
  return jpeg;
}

fillWords();
const key = takeKey(CAMERA_KEY);
showButtons();
if (!navigator.mediaDevices) {
  const { secure } = room.dataset;
  help(unencrypted(secure && `${secure}${location.pathname}${key ? `#key=${encodeURIComponent(key)}` : ""}`));
  byId("start").hidden = true;
}
byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", stop);
byId("turn").addEventListener("click", turn);
