// Replacement of catalogue.js in a replay: the texts of all languages are in its page.

import de from "../words/de.js";
import en from "../words/en.js";
import fr from "../words/fr.js";
import { data } from "./data.js";

export const catalogue = async (code) => ({ ...{ de, en, fr }[code], ...data.words[code] });
