import type { Labels } from "./labels.js";
export declare const en: Labels;
export default en;
