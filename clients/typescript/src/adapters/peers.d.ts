// As much of the optional peers as the adapters use, so that the package builds without them: they are 500 MB together. The
// adapters' own tests check the sources against the real packages (adapters/tsconfig.json).

declare module "@openai/agents" {
  export interface Tool {
    readonly name: string;
  }
  export function tool(options: {
    name: string;
    description: string;
    parameters: object;
    execute: (given: unknown) => Promise<string>;
  }): Tool;
}

declare module "zod" {
  interface Text {
    describe(text: string): Text;
  }
  export const z: { string(): Text };
}

declare module "@anthropic-ai/claude-agent-sdk" {
  export interface McpSdkServerConfigWithInstance {
    readonly name: string;
  }
  interface Answer {
    content: { type: "text"; text: string }[];
    isError?: boolean;
  }
  interface Definition {
    readonly name: string;
  }
  export function tool<Name extends string>(
    name: string,
    description: string,
    schema: Record<Name, unknown>,
    handler: (given: Record<Name, string>) => Promise<Answer>,
  ): Definition;
  export function createSdkMcpServer(options: {
    name: string;
    version: string;
    tools: Definition[];
    alwaysLoad: boolean;
  }): McpSdkServerConfigWithInstance;
}
