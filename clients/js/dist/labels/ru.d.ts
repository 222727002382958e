import type { Labels } from "./labels.js";
declare const labels: Labels;
export default labels;
