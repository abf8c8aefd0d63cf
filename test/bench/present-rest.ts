import type { Network } from '../../shared/domain/networks.ts'
import type { Comparison } from './compare.ts'
import { PROCESSES, type RequestCount, type RestUsage } from './rest-usage.ts'

/** Usage of the same installation while its networks sleep, and while each has an open charge. */
type RestStates = { readonly asleep: RestUsage; readonly watched: RestUsage }

/** Target of the requests and of the processor time of networks that sleep. */
const AIM = 0.05

/** Compares networks that sleep with the same networks while they are watched, by network, process and method. */
export function presentRest(networks: readonly Network[], states: RestStates): readonly Comparison[] {
  const { asleep, watched } = states
  return [
    { ...compareCpu('the daemon and its Ponders', sumCpu(asleep), sumCpu(watched)), aim: AIM },
    compareCpu('the daemon', asleep.cpu.daemon, watched.cpu.daemon),
    compareCpu('all Ponders', asleep.cpu.ponders, watched.cpu.ponders),
    ...networks.flatMap((network) => presentNetwork(network, states)),
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

function sumCpu({ cpu }: RestUsage): number {
  return cpu.daemon + cpu.ponders
}

function compared(
  name: string,
  unit: Comparison['unit'],
  [ours, yardstick]: readonly [number, number],
): Comparison {
  return { name, unit, ours, yardstick, ratio: yardstick === 0 ? 0 : ours / yardstick, aim: null }
}
