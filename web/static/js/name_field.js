// Fields for players' names. What is wrong with a name is said at its field, and what was typed stays.

import { h } from "./dom.js";
import { W } from "./words.js";

const LONGEST = 30;
const PICTURED = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u; // emoji, which pictures to share leave out
let lines = 0;

const alike = (name) => name.trim().toLocaleLowerCase();

/** Return what is wrong with a name beside the `others`; "" if nothing is. */
function faultOf(name, others) {
  if ([...name.trim()].length > LONGEST) return W.names.long(LONGEST, [...name.trim()].length);
  if (name.includes(",")) return W.names.comma;
  return name.trim() && others.includes(alike(name)) ? W.names.twice : "";
}

/**
 * Return a field for a name, with a line below for what is wrong. `placeholder` is what an unnamed player is called;
 * onName(name) is called for each change; `taken` are names of people who have no field here. The other attributes are
 * the input's.
 */
export function nameField({ onName, taken = [], ...attributes }) {
  const id = `name-line-${(lines += 1)}`;
  const input = h("input", { type: "text", autocomplete: "off", list: "people", "data-name": "", "aria-describedby": id, ...attributes, oninput: () => {
    onName(input.value);
    checkNames(input.closest("form, ul, ol, fieldset") ?? input.parentElement);
  } });
  input.taken = taken;
  return h("span", { class: "name-field" }, input, h("small", { class: "name-fault", id, role: "status" }));
}

/** Say at each field of `room` what is wrong with its name. Returns whether all names can be used; focuses the first fault. */
export function checkNames(room, { focus = false } = {}) {
  const fields = [...room.querySelectorAll("input[data-name]")];
  const faulty = fields.filter((field) => {
    const fault = faultOf(field.value, [...field.taken, ...fields.filter((one) => one !== field).map(({ value }) => value)].map(alike));
    const line = field.nextElementSibling;
    const said = fault || (PICTURED.test(field.value) ? W.names.emoji : "");
    if (line.textContent !== said) line.textContent = said;
    line.dataset.fault = String(Boolean(fault));
    field.setAttribute("aria-invalid", String(Boolean(fault)));
    return fault;
  });
  if (focus) faulty[0]?.focus();
  return !faulty.length;
}

/** Return the list of known people that name fields suggest. */
export const suggestions = (people = []) => h("datalist", { id: "people" }, ...people.map((name) => h("option", { value: name })));
