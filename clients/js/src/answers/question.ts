const MARK = /[?？؟]\s*$/;

/**
 * Return true if a query is a question.
 *
 * @param starts Patterns of the first words of questions.
 */
export function isQuestion(q: string, ...starts: readonly string[]): boolean {
  return (MARK.test(q) && q.length > 3) || starts.some((start) => new RegExp(start, "iu").test(q.trim()));
}
