// Creation of elements without a framework.

import { dropSecondTaps } from "./double_tap.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value; // the page's policy refuses style attributes
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== "" && child !== false));
  return element;
}

/** Create an HTML element. */
export const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** Create an SVG element. */
export const s = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

export const byId = (id) => document.getElementById(id);

dropSecondTaps();
