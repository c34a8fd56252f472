// Pictures of a replay are in its page, in one size.

export const sizeFor = () => "";
export const inSize = (address) => address;
export const artFor = (address) => address;
export async function sharpen() {}
