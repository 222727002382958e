import type { AnswerLabels } from "../labels/labels.js";
export declare const en: AnswerLabels;
