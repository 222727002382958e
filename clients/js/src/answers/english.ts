import type { AnswerLabels } from "../labels/labels.js";

export const en: AnswerLabels = {
  ask: "Ask: {query}",
  questions: "^(how|what|why|where|when|who|which|can|could|does|do|is|are|should)\\s",
  answering: "Looking for an answer …",
  stop: "Stop",
  back: "Back to results",
  caution: "Answers can be wrong; the sources are below.",
  sources: "Sources",
  copy: "Copy answer",
  copyCode: "Copy code",
  helpful: "Helpful",
  unhelpful: "Not helpful",
  thanks: "Thank you",
  followUp: "Ask a follow-up question",
  unquoted: "Not from the documentation",
  dropped: { one: "{count} sentence without proof was left out.", other: "{count} sentences without proof were left out." },
  notCovered: "The documentation does not answer this. These pages are nearest:",
  unproved: "No answer can be proved from the documentation. These pages are nearest:",
  unavailable: "No answer can be written now. These pages are nearest:",
};
