export const match = (value) => /^[a-z]{2}(-[a-z]{2})?$/.test(value);
