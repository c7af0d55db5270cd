// baton-hub-client/node: all of the core, and what needs Node: the environment and the profile file, files, and workers
// that stop on signals.

export * from "../index.js";
export { agent, type NodeAgentOptions } from "./agent.js";
export { type ConnectOptions, connect } from "./connect.js";
export { type SaveOptions, saveFile, uploadFile } from "./files.js";
export { type Profile, profilePath, readProfile } from "./profile.js";
