// The words of all languages, as a replay has them in its page.

import de from "../words/de.js";
import en from "../words/en.js";
import fr from "../words/fr.js";
import { data } from "./data.js";

export const catalogue = async (code) => ({ ...{ de, en, fr }[code], ...data.words[code] });
