import type { Labels, Plural } from "./labels.js";
/** All texts of the components in one language. */
export declare class Words {
    #private;
    readonly language: string;
    readonly labels: Labels;
    constructor(language: string, labels?: Labels);
    filled(text: string, values: Readonly<Record<string, string>>): string;
    counted(plural: Plural, count: number): string;
    nameOf(language: string): string;
}
/** The words of a language, or English; `own` labels replace the shipped ones. */
export declare function wordsIn(language: string, own: Partial<Labels>): Promise<Words>;
