import { spawnSync } from 'node:child_process'

/** Lists the process ids of a daemon's Ponder processes, which are its children. */
export function listPonders(daemonPid: number | null): readonly number[] {
  if (daemonPid === null) return []
  const { stdout } = spawnSync('pgrep', ['-P', String(daemonPid), '-f', 'ponder'], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(Number)
}
