import type { ActionLabels, Labels } from "./labels.js";
declare const labels: Labels;
export default labels;
export declare const actions: ActionLabels;
