import { setTimeout as delay } from 'node:timers/promises'
import { createClientAt } from '../support/attack/client-at.ts'
import { openMany, pipeline, readNothing, shortRequest } from '../support/attack/raw-attacks.ts'

/** The API's URL, and the path of a customer's checkout page. */
export type Target = { readonly baseUrl: string; readonly findPage: () => string | null }

type Attack = { readonly name: string; readonly make: (target: Target, from: string) => Promise<unknown> }

/** Pause between two runs of one attack. */
const REST_MS = 1_000

/** Duration for which connections that read nothing stay open, and the timeout of reads, checks and quotes. */
const HOLD_MS = 20_000

const MANY = { request: shortRequest('/'), holdMs: 10_000 }

/** The attacks of test/integration/api/attacks.test.ts, and requests for quotes. */
const ATTACKS: readonly Attack[] = [
  {
    name: 'pipelined /docs',
    make: (target, from) =>
      pipeline(at(target, from), { request: shortRequest('/docs'), count: 2_000, holdMs: 500 }),
  },
  {
    name: 'pipelined streams',
    make: (target, from) =>
      pipeline(at(target, from), {
        request: shortRequest(`${pageOf(target)}/events`),
        count: 21,
        holdMs: 500,
      }),
  },
  {
    name: '40,000 pipelined',
    make: (target, from) => pipeline(at(target, from), { ...MANY, count: 40_000 }),
  },
  {
    name: '50,000 pipelined',
    make: (target, from) => pipeline(at(target, from), { ...MANY, count: 50_000 }),
  },
  {
    name: 'idle readers of /docs',
    make: (target, from) =>
      hold(readNothing(at(target, from), { request: shortRequest('/docs'), connections: 350 })),
  },
  {
    name: 'idle streams',
    make: (target, from) =>
      hold(
        readNothing(at(target, from), { request: shortRequest(`${pageOf(target)}/events`), connections: 30 }),
      ),
  },
  {
    name: 'new connections',
    make: (target, from) =>
      openMany(at(target, from), { request: shortRequest('/v1/networks'), connections: 2_000, holdMs: 200 }),
  },
  { name: 'reads', make: (target, from) => sendMany(target, from, { what: 'GET /state.json', count: 299 }) },
  { name: 'checks', make: (target, from) => sendMany(target, from, { what: 'POST /check', count: 20 }) },
  { name: 'quotes', make: (target, from) => sendMany(target, from, { what: 'POST /quote', count: 20 }) },
]

/** Running attackers. `turns` counts the runs of each attack. */
export type Attackers = { readonly turns: ReadonlyMap<string, number>; readonly stop: () => Promise<void> }

/** Starts and repeats every attack, each from its own address. */
export function startAttackers(target: Target): Attackers {
  const ending = new AbortController()
  const turns = new Map<string, number>()
  const running = ATTACKS.map(async ({ name, make }, index) => {
    while (!ending.signal.aborted) {
      // An attacker who is rejected or disconnected tries again.
      await make(target, `127.0.3.${index + 1}`).catch(() => undefined)
      turns.set(name, (turns.get(name) ?? 0) + 1)
      await delay(REST_MS)
    }
  })
  return {
    turns,
    stop: async () => {
      ending.abort()
      await Promise.all(running)
    },
  }
}

function at({ baseUrl }: Target, from: string) {
  return { baseUrl, from }
}

function pageOf({ findPage }: Target): string {
  return findPage() ?? '/pay/ch_none'
}

async function hold(opening: Promise<() => void>): Promise<void> {
  const hangUp = await opening
  await delay(HOLD_MS)
  hangUp()
}

async function sendMany(
  target: Target,
  from: string,
  { what, count }: { readonly what: string; readonly count: number },
): Promise<void> {
  const client = createClientAt(from, target.baseUrl)
  const [method, path] = what.split(' ')
  const request = `${method} ${pageOf(target)}${path}`
  try {
    await Promise.allSettled(
      Array.from({ length: count }, () => client.send(request, { timeoutMs: HOLD_MS })),
    )
  } finally {
    client.close()
  }
}
