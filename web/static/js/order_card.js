// Cards for several turns whose order is uncertain, in the likeliest order. They are dragged or moved with buttons,
// and sent in one answer.

import { cropAddress } from "./api.js";
import { crop } from "./crop.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { tileThumb } from "./tile_drawing.js";
import { shownRot } from "./turned.js";
import { W, actionDeed, deed, faceThings, list, namesOf, sentenceCase } from "./words.js";

/** Return the cards of `question.order`, and the button that sends their order: onOrder(numbers). */
export function orderCards(question, state, pack, onOrder) {
  const names = namesOf(state);
  const turns = question.order.map((number) => state.turns[number - 1]);
  const send = h("button", { type: "button", class: "plain order-send", onclick: () => onOrder([...cards.children].map((card) => Number(card.dataset.turn))) }, W.ask.thisOrder);
  const cards = h("ol", { class: "order-cards" }, ...turns.map((turn) => card(turn, pack, names, { move, drag })));
  settle();
  return [h("p", { class: "hint" }, W.ask.inOrder), cards, send];

  /** Show on each card whose turn its position is. A turn with another player's piece is marked as wrong. */
  function settle() {
    [...cards.children].forEach((one, place) => {
      const { turn: number, player } = turns[place];
      const own = turns.find((turn) => turn.turn === Number(one.dataset.turn));
      const strange = Boolean(own.action) && own.player !== player;
      one.querySelector(".order-place").replaceChildren(meepleIcon(player), ` ${W.ask.place(number, names[player])}`);
      one.querySelector(".order-wrong").textContent = strange ? W.ask.theirs(names[own.player]) : "";
      one.dataset.wrong = strange;
      one.querySelector(".order-up").disabled = place === 0;
      one.querySelector(".order-down").disabled = place === cards.children.length - 1;
    });
    send.disabled = cards.querySelector('[data-wrong="true"]') !== null;
  }

  function move(one, by) {
    const other = by < 0 ? one.previousElementSibling : one.nextElementSibling?.nextElementSibling ?? null;
    if (by < 0 && !other) return;
    cards.insertBefore(one, other);
    settle();
  }

  /** Drag a card with the finger: it takes the position of the card under it. */
  function drag(one, event) {
    event.preventDefault();
    const grip = event.currentTarget;
    grip.setPointerCapture(event.pointerId);
    one.dataset.dragged = true;
    const follow = ({ clientY }) => {
      const before = [...cards.children].filter((other) => other !== one).find((other) => {
        const { top, height } = other.getBoundingClientRect();
        return clientY < top + height / 2;
      });
      if ((before ?? null) === one.nextElementSibling) return;
      cards.insertBefore(one, before ?? null);
      settle();
    };
    const drop = () => {
      delete one.dataset.dragged;
      grip.removeEventListener("pointermove", follow);
      for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) grip.removeEventListener(end, drop);
    };
    grip.addEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) grip.addEventListener(end, drop);
  }
}

function card(turn, pack, names, { move, drag }) {
  const design = pack.designs[turn.tile];
  const what = sentenceCase(deed(turn, design));
  const button = (name, label, sign, by) => h("button", {
    type: "button", class: `tool ${name}`, "aria-label": label, onclick: (event) => {
      move(one, by);
      if (!event.currentTarget.disabled) event.currentTarget.focus();
    },
  }, sign);
  const one = h("li", { "data-turn": turn.turn },
    h("span", { class: "order-grip", title: W.ask.drag(what), onpointerdown: (event) => drag(one, event) }, "⠿"),
    crop(cropAddress.turn(turn.turn, turn.frame), W.fix.picture(turn.turn), () => (design ? tileThumb(turn.tile, design, shownRot(turn.rot)) : "")),
    h("div", { class: "order-what" },
      h("b", { class: "order-place" }),
      h("small", {}, design ? sentenceCase(list(faceThings(design))) : ""),
      h("small", {}, ...(turn.action ? [meepleIcon(turn.player), ` ${actionDeed(turn.action, design)}`] : [W.fix.noPiece])),
      h("small", { class: "order-wrong" })),
    h("div", { class: "order-ways" },
      button("order-up", W.ask.up(what), "▲", -1),
      button("order-down", W.ask.down(what), "▼", 1)));
  return one;
}
