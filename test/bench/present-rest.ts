import type { Network } from '../../shared/domain/networks.ts'
import type { Comparison } from './compare.ts'
import { CPU_USERS, type CpuUser, PROCESSES, type RequestCount, type RestUsage } from './rest-usage.ts'

export type RestStates = { readonly asleep: RestUsage; readonly watched: RestUsage }

/** Target ratio of sleeping to watched networks, for the requests and for the processor time. */
const AIM = 0.05

const CPU_NAMES: Readonly<Record<CpuUser, string>> = {
  daemon: 'the daemon',
  ponders: 'all Ponders',
  postgres: 'PostgreSQL',
}

/** Compares each network's requests and processor time while it sleeps and while it is watched. */
export function presentRest(networks: readonly Network[], states: RestStates): readonly Comparison[] {
  return networks.flatMap((network) => presentNetwork(network, states))
}

/** Compares an installation's total usage while its networks sleep and while they are watched. */
export function presentTotals(networks: readonly Network[], states: RestStates): readonly Comparison[] {
  const what = networks.length === 1 ? `only ${networks[0]}` : `${networks.length} networks`
  return presentUsage(what, { asleep: sumUsage(states.asleep), watched: sumUsage(states.watched) }, null)
}

/**
 * Compares the costs of each further network while it sleeps and while it is watched. The costs are the usage with all
 * networks minus the usage with only the first network, divided by the number of further networks. The difference
 * excludes the daemon's work without any network.
 */
export function presentFurther(
  { one, all }: { readonly one: RestStates; readonly all: RestStates },
  further: number,
): readonly Comparison[] {
  const perNetwork = (state: keyof RestStates): Usage => {
    const [less, more] = [sumUsage(one[state]), sumUsage(all[state])]
    const divide = (name: keyof Usage) => (more[name] - less[name]) / further
    return {
      ...{ requests: divide('requests'), daemon: divide('daemon') },
      ...{ ponders: divide('ponders'), postgres: divide('postgres') },
    }
  }
  const states = { asleep: perNetwork('asleep'), watched: perNetwork('watched') }
  return presentUsage('each further network', states, AIM)
}

/** Requests per minute, and processor times in percent of a core. */
type Usage = Readonly<Record<'requests' | CpuUser, number>>

function sumUsage({ requests, cpu }: RestUsage): Usage {
  return { ...cpu, requests: requests.reduce((total, { perMinute }) => total + perMinute, 0) }
}

function presentUsage(
  what: string,
  { asleep, watched }: { readonly asleep: Usage; readonly watched: Usage },
  aim: number | null,
): readonly Comparison[] {
  const sum = (usage: Usage) => CPU_USERS.reduce((total, user) => total + usage[user], 0)
  const requests = `asleep / watched: ${what}, requests per minute`
  return [
    { ...compared(requests, 'requests', [asleep.requests, watched.requests]), aim },
    { ...compareCpu(`${what}: all processes`, sum(asleep), sum(watched)), aim },
    ...CPU_USERS.map((user) => compareCpu(`${what}: ${CPU_NAMES[user]}`, asleep[user], watched[user])),
  ]
}

function presentNetwork(network: Network, { asleep, watched }: RestStates): readonly Comparison[] {
  const [less, more] = [asleep, watched].map(({ requests }) =>
    requests.filter((each) => each.network === network),
  )
  const methods = PROCESSES.flatMap((process) => {
    const names = new Set(
      [...(more ?? []), ...(less ?? [])]
        .filter((each) => each.process === process)
        .map(({ method }) => method),
    )
    return [...names].map((method) => {
      const isIt = (each: RequestCount) => each.process === process && each.method === method
      const name = `${network}, requests per minute of ${process}: ${method}`
      return compareRequests(name, less?.filter(isIt), more?.filter(isIt))
    })
  })
  return [
    { ...compareRequests(`${network}, requests per minute`, less, more), aim: AIM },
    ...methods.toSorted((one, other) => other.yardstick - one.yardstick),
    compareCpu(
      `${network}, its Ponder`,
      asleep.cpuOfPonder.get(network) ?? 0,
      watched.cpuOfPonder.get(network) ?? 0,
    ),
  ]
}

function compareRequests(
  name: string,
  less: readonly RequestCount[] = [],
  more: readonly RequestCount[] = [],
): Comparison {
  const sum = (counts: readonly RequestCount[]) =>
    counts.reduce((total, { perMinute }) => total + perMinute, 0)
  return compared(`asleep / watched: ${name}`, 'requests', [sum(less), sum(more)])
}

function compareCpu(name: string, ours: number, yardstick: number): Comparison {
  return compared(`asleep / watched: processor of ${name}`, '% of a core', [ours, yardstick])
}

function compared(
  name: string,
  unit: Comparison['unit'],
  [ours, yardstick]: readonly [number, number],
): Comparison {
  return { name, unit, ours, yardstick, ratio: yardstick === 0 ? 0 : ours / yardstick, aim: null }
}
