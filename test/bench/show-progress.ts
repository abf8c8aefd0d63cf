/** Shows the current step of a bench in one line of the terminal, if stderr is a terminal. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K  ${text}\r`)
}
