/** As much of the agent's files as its tools need. Every method rejects with a sentence for the model. */
export interface AgentFiles {
  list(glob?: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  write(path: string, content: string): Promise<void>;
  edit(
    path: string,
    oldText: string,
    newText: string,
    options?: { replaceAll?: boolean },
  ): Promise<unknown>;
  move(from: string, to: string): Promise<void>;
  delete(path: string): Promise<void>;
}
