const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const CLEAR_LINE = '\r\u001B[2K'

/** The output of a long operation. */
export type Progress = {
  /** Shows on standard error what the command is waiting for. */
  readonly wait: (text: string) => void
  /** Writes a permanent line to standard output. */
  readonly say: (line: string) => void
  /** Clears the progress line. */
  readonly stop: () => void
}

/**
 * Creates a progress line that is animated on a terminal. Elsewhere each change of its text is written as a line.
 *
 * Results go to standard output and progress to standard error, so that a script reads only results.
 */
export function createProgress({
  stdout,
  stderr,
}: Pick<NodeJS.Process, 'stdout' | 'stderr'> = process): Progress {
  let text = ''
  let frame = 0
  let timer: NodeJS.Timeout | undefined

  function draw(): void {
    frame = (frame + 1) % FRAMES.length
    stderr.write(`${CLEAR_LINE}${FRAMES[frame]} ${text}`)
  }

  function stop(): void {
    clearInterval(timer)
    if (timer !== undefined) stderr.write(CLEAR_LINE)
    timer = undefined
  }

  return {
    wait: (next) => {
      if (next === text) return
      text = next
      if (!stderr.isTTY) {
        stderr.write(`${text}\n`)
        return
      }
      timer ??= setInterval(draw, FRAME_MS)
      draw()
    },
    say: (line) => {
      if (timer !== undefined) stderr.write(CLEAR_LINE)
      stdout.write(`${line}\n`)
    },
    stop,
  }
}
