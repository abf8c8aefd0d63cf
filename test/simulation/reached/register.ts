/**
 * Loads the product with its markers into a worker of the simulator. The environment names the file in which the
 * simulator has stored the instrumented code.
 */
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import type { Instrumentation } from './instrument.ts'
import { count, installProbe } from './probe.ts'

const { markers, sources } = JSON.parse(
  readFileSync(process.env['SIMULATION_MARKERS'] ?? '', 'utf8'),
) as Instrumentation

installProbe(markers.length)
register('./load-instrumented.ts', { parentURL: import.meta.url, data: sources })

// Imported only after `register`, because it loads the machines, which have markers.
const { countTransitions } = await import('./count-transitions.ts')
const indexes = new Map(markers.map(({ name }, index) => [name, index]))
countTransitions((name) => count(indexes.get(name) ?? -1, true))
