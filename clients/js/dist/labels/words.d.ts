import type { Labels, Plural } from "./labels.js";
/** What the components say, in one language. */
export declare class Words {
    #private;
    readonly language: string;
    readonly labels: Labels;
    constructor(language: string, labels?: Labels);
    filled(text: string, values: Readonly<Record<string, string>>): string;
    counted(plural: Plural, count: number): string;
    nameOf(language: string): string;
}
/** The words of a language, or English; `own` labels take the place of shipped ones. */
export declare function wordsIn(language: string, own: Partial<Labels>): Promise<Words>;
