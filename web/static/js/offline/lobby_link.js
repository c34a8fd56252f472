// Replacement of lobby_link.js in a replay, which has no lobby.

export function takeLobby() {}

export const lobbyLink = () => "";
