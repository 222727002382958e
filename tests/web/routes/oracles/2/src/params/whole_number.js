export const match = (value) => /^\d+$/.test(value);
