import type { AnswerLabels } from "./labels.js";
export declare const en: AnswerLabels;
