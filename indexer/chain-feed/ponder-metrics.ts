import type { Metrics } from '../../shared/runtime/metrics.ts'

/** A Ponder process, identified by its chain and the schema of its generation. */
type Ponder = { readonly chainId: number; readonly ponderSchema: string }

export type PonderMetrics = ReturnType<typeof createPonderMetrics>

/** Timeout of a read, far below Prometheus's default scrape timeout of 10 s. */
const READ_TIMEOUT_MS = 2_000

/**
 * Metric families to relay, 8 of Ponder's 50, and their new names. Their labels have few values (JSON-RPC methods,
 * histogram buckets).
 */
const PASSED_ON: ReadonlyMap<string, string> = new Map([
  ...[
    'ponder_rpc_request_duration',
    'ponder_rpc_request_error_total',
    'ponder_sync_block',
    'ponder_sync_is_realtime',
    'ponder_realtime_reorg_total',
    'ponder_database_method_error_total',
  ].map((name) => [name, name] as const),
  ['process_resident_memory_bytes', 'ponder_process_resident_memory_bytes'],
  ['process_cpu_seconds_total', 'ponder_process_cpu_seconds_total'],
])

/**
 * Creates the relay of Ponder's metrics. Ponder serves them on a loopback port that it reports only to this daemon. A
 * read may take `timeoutMs` (2 s).
 */
export function createPonderMetrics({ timeoutMs = READ_TIMEOUT_MS } = {}) {
  const ports = new Map<string, { readonly ponder: Ponder; readonly port: number }>()

  /** Records the port of a Ponder process; `null` removes the process. */
  function note(ponder: Ponder, port: number | null): void {
    if (port === null) ports.delete(ponder.ponderSchema)
    else ports.set(ponder.ponderSchema, { ponder, port })
  }

  async function read(): Promise<string> {
    const families = new Map<string, { head: readonly string[]; samples: string[] }>()
    const answers = await Promise.all(
      [...ports.values()].map(async ({ ponder, port }) => ({
        ponder,
        text: await fetchMetrics(port, timeoutMs),
      })),
    )
    const up = familyOf(families, { name: 'ponder_is_up', head: HEAD_OF_UP })
    for (const { ponder, text } of answers) {
      up.push(`ponder_is_up{${labelsOf(ponder)}} ${text === null ? 0 : 1}`)
      if (text !== null) collect(families, { ponder, text })
    }
    return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('')
  }

  return {
    note,
    /** Returns a registry that also contains Ponder's metrics, labelled by chain id and schema. */
    besides: (registry: Metrics) => ({
      contentType: registry.contentType,
      metrics: async () => (await Promise.all([registry.metrics(), read()])).join('\n'),
    }),
  }
}

const HEAD_OF_UP = [
  '# HELP ponder_is_up 1 while the metrics of this Ponder process can be read',
  '# TYPE ponder_is_up gauge',
]

type Families = Map<string, { head: readonly string[]; samples: string[] }>

/** Adds the samples of one Ponder process to their families, because a response may contain each family only once. */
function collect(families: Families, { ponder, text }: { ponder: Ponder; text: string }): void {
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [help = '', type = '', ...lines] = block.trimEnd().split('\n')
    const name = help.split(' ')[2] ?? ''
    const passedOn = PASSED_ON.get(name)
    if (passedOn === undefined) continue
    const samples = familyOf(families, {
      name: passedOn,
      head: [help, type].map((line) => line.replace(name, passedOn)),
    })
    samples.push(
      ...lines.filter((line) => line !== '').map((line) => relabel(line, { name, passedOn, ponder })),
    )
  }
}

function familyOf(families: Families, { name, head }: { name: string; head: readonly string[] }): string[] {
  const family = families.get(name) ?? { head, samples: [] }
  families.set(name, family)
  return family.samples
}

/**
 * Renames a metric and adds labels: `name_sum{chain="chain"} 1` becomes
 * `passedOn_sum{chain_id="8453",ponder_schema="…",chain="chain"} 1`.
 */
function relabel(line: string, to: { name: string; passedOn: string; ponder: Ponder }): string {
  const [, suffix = '', labels = '', value = ''] =
    /^\w+?((?:_(?:bucket|sum|count))?)(?:\{(.*)\})? (.+)$/.exec(line) ?? []
  const all = [labelsOf(to.ponder), labels].filter((some) => some !== '').join(',')
  return `${to.passedOn}${suffix}{${all}} ${value}`
}

function labelsOf({ chainId, ponderSchema }: Ponder): string {
  return `chain_id="${chainId}",ponder_schema="${ponderSchema}"`
}

async function fetchMetrics(port: number, timeoutMs: number): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
      signal: AbortSignal.timeout(timeoutMs),
    })
    return answer.ok ? await answer.text() : null
  } catch {
    return null // Ponder is starting, hangs or has just exited; `ponder_is_up` reports 0.
  }
}
