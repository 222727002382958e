/**
 * Return true if a query is a question.
 *
 * @param starts Patterns of the first words of questions.
 */
export declare function isQuestion(q: string, ...starts: readonly string[]): boolean;
