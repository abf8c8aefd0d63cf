/**
 * `npm run layers`: reports the imports that break a rule of `.dependency-cruiser.mjs`, and counts the dependencies
 * between the rooms.
 *
 * For `indexer`, `api`, `shared/chain` and `shared/db`, counts the rooms, the pairs of rooms with an import between
 * them (arrows in a diagram of the rooms), and the arrows that point up. Exits with 1 if any rule is broken.
 */
import { spawnSync } from 'node:child_process'
import type { ICruiseResult } from 'dependency-cruiser'
import { LAYERS_TOP_DOWN } from '../../.dependency-cruiser.mjs'
import { countArrows } from './count-arrows.ts'

const TREES = ['shared', 'machines', 'indexer', 'api', 'test', 'contracts/script']

const cruised = spawnSync('depcruise', ['--output-type', 'json', ...TREES], { maxBuffer: 64 * 2 ** 20 })
if (cruised.status !== 0)
  throw new Error(`depcruise exited with ${cruised.status}: ${cruised.stderr.toString()}`)
const { modules, summary } = JSON.parse(cruised.stdout.toString()) as ICruiseResult

const unread = TREES.filter((tree) => !modules.some(({ source }) => source.startsWith(`${tree}/`)))
if (unread.length > 0) throw new Error(`depcruise read no file of ${unread.join(', ')}`)

for (const { rule, from, to } of summary.violations) console.log(`${rule.name}: ${from} → ${to}`)
for (const [tree, rooms] of Object.entries(LAYERS_TOP_DOWN)) {
  const { inhabited, down, up } = countArrows(modules, { tree, rooms })
  console.log(`${tree}: ${inhabited} rooms with ${down + up} arrows, ${up} of which point up`)
}
console.log(`${summary.totalCruised} files read, ${summary.violations.length} imports break a rule`)
process.exitCode = summary.violations.length === 0 ? 0 : 1
