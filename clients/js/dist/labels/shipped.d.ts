import type { ActionLabels, AnswerLabels, Labels } from "./labels.js";
/** All that is said in one language. */
interface Language {
    default: Labels;
    actions: ActionLabels;
    answers: AnswerLabels;
}
/** What is said in a language; undefined where it is not shipped, or a site left its file out. */
export declare function shipped(language: string): Promise<Language | undefined>;
/** The name of the file of labels for a language, whether it is shipped or not. */
export declare function labelFile(language: string): string;
/** The language of the text around an element, also through the shadow roots that it lies in; else the visitor's. */
export declare function languageAround(element: Element): string;
/** Call when the page changes its language without a load; returns what ends it. */
export declare function onLanguage(changed: () => void): () => void;
export {};
