// Editor of a foreign tile: people tap what is on each edge, which edges are connected, and what is in the middle.

import { h } from "./dom.js";
import { tileThumb } from "./tile_drawing.js";
import { W, kindName } from "./words.js";

const EDGES = ["n", "e", "s", "w"];
export const UNKNOWN = "?";
const SPOTS = { n: [0.5, 0.22], e: [0.78, 0.5], s: [0.5, 0.78], w: [0.22, 0.5] };

/**
 * Return the editor for the tile with description `name`, with the kinds that `pack` has. onDone(name) gets the new
 * description.
 */
export function foreignEditor(pack, name, onDone) {
  const said = read(name);
  const room = h("div", { class: "foreign" });
  const again = () => {
    said.joins = said.joins.filter((group) => fits(pack, said, group));
    said.meets = said.meets.filter((group) => fits(pack, said, group));
    const held = document.activeElement?.dataset?.edge;
    room.replaceChildren(
      h("div", { class: "foreign-tile" }, picture(pack, said), ...EDGES.map((edge) => edgeButton(pack, said, edge, again))),
      ...choices(pack, said).map(({ kind, ways }) => h("div", {},
        h("h3", {}, W.foreign.together(kindName(kind))),
        h("div", { class: "foreign-ways", role: "group", "aria-label": W.foreign.together(kindName(kind)) }, ...ways.map((way) => wayButton(pack, said, kind, way, again))))),
      pack.inside.length ? h("h3", {}, W.foreign.inside) : "",
      h("div", { class: "foreign-ways" }, ...pack.inside.map((kind) => insideButton(said, kind, again))),
      h("button", { type: "button", class: "plain save", onclick: () => onDone(written(said)) }, W.foreign.done));
    if (held) room.querySelector(`[data-edge="${held}"]`).focus();
  };
  again();
  return room;
}

function read(name) {
  const [n, e, s, w, ...more] = name === UNKNOWN ? EDGES.map(() => UNKNOWN) : name.slice(1).split("-");
  const groups = more.filter((word) => !word.startsWith(UNKNOWN));
  return {
    edges: { n, e, s, w },
    joins: groups.filter((word) => word === word.toLowerCase()),
    meets: groups.filter((word) => word !== word.toLowerCase()).map((word) => word.toLowerCase()),
    inside: more.filter((word) => word.startsWith(UNKNOWN)).map((word) => word.slice(1)),
  };
}

function written({ edges, joins, meets, inside }) {
  const kinds = EDGES.map((edge) => edges[edge]);
  const more = [...joins, ...meets.map((group) => group.toUpperCase()), ...inside.map((kind) => UNKNOWN + kind)];
  return kinds.every((kind) => kind === UNKNOWN) && !more.length ? UNKNOWN : UNKNOWN + [...kinds, ...more].join("-");
}

/** Whether the edges of a group still have features of one kind. */
function fits(pack, said, group) {
  const kinds = new Set([...group].map((edge) => pack.edges[said.edges[edge]] ?? UNKNOWN));
  return kinds.size === 1 && !kinds.has(UNKNOWN);
}

function edgeButton(pack, said, edge, again) {
  const kinds = [UNKNOWN, ...Object.keys(pack.edges)];
  const next = () => {
    said.edges[edge] = kinds[(kinds.indexOf(said.edges[edge]) + 1) % kinds.length];
    again();
  };
  const now = said.edges[edge] === UNKNOWN ? UNKNOWN : kindName(said.edges[edge]);
  return h("button", { type: "button", class: "plain", "data-edge": edge, "aria-label": `${W.foreign.edges[edge]}: ${said.edges[edge] === UNKNOWN ? W.foreign.unknown : now}`, onclick: next }, now);
}

/** Return the kinds that reach several edges, each with the ways in which these may be connected: [{kind, ways}]. */
function choices(pack, said) {
  const byKind = new Map();
  for (const edge of EDGES) {
    const kind = pack.edges[said.edges[edge]];
    if (kind) byKind.set(kind, (byKind.get(kind) ?? "") + edge);
  }
  return [...byKind].filter(([, edges]) => edges.length > 1).map(([kind, edges]) => ({ kind, ways: ways(edges) }));
}

/** Return the ways to connect edges: all, none, none but with one common end, and in pairs. */
function ways(edges) {
  const pairs = [...edges].flatMap((one, i) => [...edges.slice(i + 1)].map((other) => one + other));
  const rest = (pair) => [...edges].filter((edge) => !pair.includes(edge)).join("");
  const parted = edges.length === 2 ? [] : pairs.filter((pair) => edges.length === 3 || pair[0] === edges[0]).map((pair) => [pair, ...(rest(pair).length > 1 ? [rest(pair)] : [])]);
  return [{ joins: [edges], meets: [] }, { joins: [], meets: [] }, { joins: [], meets: [edges] }, ...parted.map((joins) => ({ joins, meets: [] }))];
}

function wayButton(pack, said, kind, way, again) {
  const own = (group) => pack.edges[said.edges[group[0]]] === kind;
  const others = { joins: said.joins.filter((group) => !own(group)), meets: said.meets.filter((group) => !own(group)) };
  const chosen = { ...said, joins: [...others.joins, ...way.joins], meets: [...others.meets, ...way.meets] };
  const now = String(said.joins.filter(own)) === String(way.joins) && String(said.meets.filter(own)) === String(way.meets);
  const choose = () => {
    Object.assign(said, chosen);
    again();
  };
  return h("button", { type: "button", class: "rot", "aria-pressed": now ? "true" : "false", "aria-label": label(way), onclick: choose }, picture(pack, chosen));
}

function label({ joins, meets }) {
  const names = (group) => [...group].map((edge) => W.foreign.edges[edge]).join(", ");
  if (meets.length) return W.foreign.meets(names(meets[0]));
  return joins.length ? joins.map((group) => W.foreign.joins(names(group))).join("; ") : W.foreign.apart;
}

function insideButton(said, kind, again) {
  const on = said.inside.includes(kind);
  const turn = () => {
    said.inside = on ? said.inside.filter((one) => one !== kind) : [...said.inside, kind];
    again();
  };
  return h("button", { type: "button", class: "plain", "aria-pressed": on ? "true" : "false", onclick: turn }, kindName(kind));
}

function picture(pack, { edges, joins, meets, inside }) {
  const alone = EDGES.filter((edge) => !joins.some((group) => group.includes(edge)));
  const features = [...joins, ...alone].filter((group) => pack.edges[edges[group[0]]]).map((group) => feature(pack.edges[edges[group[0]]], [...group]));
  const met = meets.map((group) => ({ ...feature("meeting", [...group]), spot: [0.5, 0.5] }));
  const drawn = [...features, ...met, ...inside.map((kind) => feature(kind, []))];
  return tileThumb(written({ edges, joins, meets, inside }), { edges, foreign: true, features: drawn }, 0);
}

function feature(kind, edges) {
  const axis = (i) => edges.reduce((sum, edge) => sum + SPOTS[edge][i], 0) / edges.length;
  return { id: "", kind, edges, spot: edges.length ? [axis(0), axis(1)] : [0.5, 0.5], animals: [], birds: 0 };
}
