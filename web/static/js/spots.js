// Features that have not scored: which one a piece or a tile belongs to, and in words what it consists of.

import { cellKey } from "./geometry.js";
import { W, list, phrase, sentenceCase } from "./words.js";

const isOn = ({ places = [] }, cell, feature) => places.some((place) => cellKey(place.cell) === cellKey(cell) && place.feature === feature);

/** Return the feature that pieces of this kind hold on a tile's feature (or corner); undefined if it has scored. */
export const spotOn = (spots, cell, feature, kind = "meeple") => spots.find((spot) => spot.piece === kind && isOn(spot, cell, feature));

/** Return the feature on which a piece counts. */
export const spotUnder = (spots, piece) => spotOn(spots, piece.cell, piece.corner ?? piece.feature, piece.kind);

/** Return the features on which a player has pieces, those that score at the end only first. */
export const spotsOf = (spots, color) => spots.filter((spot) => spot.meeples[color]).sort((a, b) => Number(b.at_end) - Number(a.at_end));

/** Return the colours that get a feature's points; none without pieces. */
function ownersOf({ meeples }) {
  const most = Math.max(0, ...Object.values(meeples));
  return Object.keys(meeples).filter((color) => most && meeples[color] === most);
}

/**
 * Return what a feature consists of and what it gives: "3 tiles, 1 pennant: 8 once complete, 4 if the game ended". With
 * `color`, for that player. Without points, or with `secret` at the end only, what it consists of.
 */
export function spotWords(spot, names, { color = null, secret = false } = {}) {
  const why = sentenceCase(phrase(spot.said, spot.why));
  const owners = ownersOf(spot);
  const ended = color === null ? Math.max(0, ...Object.values(spot.if_ended)) : spot.if_ended[color] ?? 0;
  const others = Object.keys(spot.meeples).length > 1 || (color !== null && !owners.includes(color)) || secret || (spot.at_end && color === null);
  const whose = others && owners.length && (ended || spot.if_completed) ? `; ${W.turn.goesTo(list(owners.map((one) => names[one] ?? one)))}` : "";
  if (secret || !(spot.at_end || spot.if_completed || ended)) return why + (secret ? whose : "");
  const said = spot.at_end ? W.worth.end(why, ended) : !owners.length ? W.worth.free(why, spot.if_completed) : spot.open_edges ? W.worth.open(why, spot.if_completed, ended) : W.worth.done(why, spot.if_completed, ended);
  return said + whose;
}
