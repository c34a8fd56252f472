// What the dashboard says, in one place and in one language for now: a second one replaces this table.

const KINDS = {
  trail: "Trail",
  bush: "Bush",
  baobab: "Baobab",
  dig: "Watering hole dug",
  expand: "Watering hole grown",
  watering_hole: "Watering hole",
  ranger: "Ranger",
  hand: "Animal tiles in hand",
};

const FEATURES = { trail: "the trail", bush: "the bush", baobab: "the baobab" };

const SEEING = {
  starting: "Waiting for the camera",
  watching: "Watching the table",
  moving: "Hands on the table",
  unclear: "Unclear",
  lost: "The camera sees no board",
  ended: "End of the pictures",
};

export const LINK = { connecting: "Connecting", live: "Live", lost: "Reconnecting" };

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const article = (word) => (/^[aeiou]/i.test(word) ? "an" : "a");

export const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export const kindName = (kind) => KINDS[kind] ?? capital(kind.replaceAll("_", " "));
export const sentenceCase = (text) => (text ? capital(text) : "");
export const points = (n) => `${n} ${Math.abs(n) === 1 ? "point" : "points"}`;
export const meeplesLeft = (n) => `${n} ${n === 1 ? "meeple" : "meeples"} left`;
export const tilesLeft = (n) => `${n} ${n === 1 ? "tile" : "tiles"} to come`;

/** A face by what is printed on it: "a giraffe and zebra tile". */
export function tileName(design) {
  if (!design) return "a tile";
  const animals = [...new Set(design.features.flatMap((feature) => feature.animals))];
  const kinds = design.features.map((feature) => feature.kind);
  const plain = kinds.includes("baobab") ? "baobab" : kinds[0] ?? "plain";
  const what = animals.length ? list(animals) : plain;
  return `${article(what)} ${what} tile`;
}

/** What a player did in a turn, without the name: "laid a zebra tile and put a meeple on the trail". */
export function deed(turn, design) {
  const laid = `laid ${tileName(design)}`;
  const action = turn.action;
  const extra = turn.ranger_to ? "; the ranger there drove on" : "";
  if (!action) return laid + extra;
  const said = {
    meeple: () => {
      const feature = design?.features.find((one) => one.id === action.feature);
      if (feature?.kind === "baobab") return "rested a meeple under the baobab";
      return `put a meeple on ${FEATURES[feature?.kind] ?? "it"}`;
    },
    ranger: () => "moved a ranger",
    dig: () => `dug a watering hole for ${article(action.animal)} ${action.animal}`,
    expand: () => `brought ${article(action.animal)} ${action.animal} to a watering hole`,
  }[action.type];
  return `${laid} and ${said ? said() : "did something more"}${extra}`;
}

/** What the camera sees, short. */
export function seeing(camera) {
  const said = camera.seeing === "watching" && camera.message ? camera.message : SEEING[camera.seeing];
  if (camera.frame === null || !camera.frames || camera.seeing !== "watching") return said;
  return `${said} · ${camera.frame + 1}/${camera.frames}`;
}

/** What a whole board looks like, for those who do not see it. */
export function boardLabel(state) {
  const meeples = state.standing.filter((piece) => piece.kind === "meeple").length;
  return `The board: ${state.board.length} tiles, ${meeples} ${meeples === 1 ? "meeple" : "meeples"} standing`;
}
