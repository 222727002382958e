import type { ActionLabels, AnswerLabels, Labels } from "./labels.js";
declare const labels: Labels;
export default labels;
export declare const actions: ActionLabels;
export declare const answers: AnswerLabels;
