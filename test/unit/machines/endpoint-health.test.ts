import { expect } from 'chai'
import { transition } from 'xstate'
import { endpointHealthMachine } from '../../../machines/endpoint-health.ts'

type Value = { failureLevel: 'low' | 'high'; recoveryNotice: 'none' | 'pending' }

const HEALTHY: Value = { failureLevel: 'low', recoveryNotice: 'none' }
const UNHEALTHY: Value = { failureLevel: 'high', recoveryNotice: 'pending' }
const RECOVERING: Value = { failureLevel: 'high', recoveryNotice: 'none' }
const CALM: Value = { failureLevel: 'low', recoveryNotice: 'pending' }

describe('endpointHealthMachine', () => {
  for (const { says, from, succeeded = false, counts, to, effects = [] } of [
    { says: 'sends no signal below five attempts', from: HEALTHY, counts: [4, 4], to: HEALTHY },
    {
      says: 'signals the fifth of five failures',
      from: HEALTHY,
      counts: [5, 5],
      to: UNHEALTHY,
      effects: ['announceUnhealthy'],
    },
    { says: 'does not signal at exactly 20 %', from: HEALTHY, counts: [10, 2], to: HEALTHY },
    {
      says: 'signals just above 20 %',
      from: HEALTHY,
      counts: [24, 5],
      to: UNHEALTHY,
      effects: ['announceUnhealthy'],
    },
    {
      says: 'signals a ratio that is first known after a success, and does not report a recovery',
      from: HEALTHY,
      succeeded: true,
      counts: [5, 2],
      to: UNHEALTHY,
      effects: ['announceUnhealthy'],
    },
    { says: 'signals once', from: UNHEALTHY, counts: [6, 6], to: UNHEALTHY },
    {
      says: 'recovers at the next success',
      from: UNHEALTHY,
      succeeded: true,
      counts: [7, 6],
      to: RECOVERING,
      effects: ['announceRecovered'],
    },
    { says: 'recovers once', from: RECOVERING, succeeded: true, counts: [8, 6], to: RECOVERING },
    {
      says: 'does not signal again while the ratio stays above 20 %',
      from: RECOVERING,
      counts: [9, 7],
      to: RECOVERING,
    },
    {
      says: 'stays at the high level at exactly 20 %',
      from: RECOVERING,
      succeeded: true,
      counts: [10, 2],
      to: RECOVERING,
    },
    {
      says: 'returns to the low level below 20 %',
      from: RECOVERING,
      succeeded: true,
      counts: [11, 2],
      to: HEALTHY,
    },
    {
      says: 'stays at the high level if there are too few attempts',
      from: RECOVERING,
      succeeded: true,
      counts: [4, 0],
      to: RECOVERING,
    },
    {
      says: 'returns to the low level without a success, and the recovery notice stays pending',
      from: UNHEALTHY,
      counts: [11, 2],
      to: CALM,
    },
    {
      says: 'announces the pending recovery at the next success',
      from: CALM,
      succeeded: true,
      counts: [11, 1],
      to: HEALTHY,
      effects: ['announceRecovered'],
    },
    {
      says: 'signals again from the low level, even if the recovery notice is still pending',
      from: CALM,
      counts: [9, 2],
      to: UNHEALTHY,
      effects: ['announceUnhealthy'],
    },
    {
      says: 'recovers from the earlier signal, signals again in the same step, and has another recovery notice pending',
      from: CALM,
      succeeded: true,
      counts: [5, 2],
      to: UNHEALTHY,
      effects: ['announceUnhealthy', 'announceRecovered'],
    },
  ] satisfies Case[]) {
    it(says, () => {
      const [finished, failed] = counts as [number, number]
      const before = endpointHealthMachine.resolveState({ value: from, context: {} })
      const fact = { type: 'attempt.finished', succeeded, finished, failed } as const
      const [next, actions] = transition(endpointHealthMachine, before, fact)
      expect(next.value).to.deep.equal(to)
      expect(actions.map(({ type }) => type)).to.deep.equal(effects)
    })
  }
})

type Case = {
  says: string
  from: Value
  succeeded?: boolean
  counts: number[]
  to: Value
  effects?: string[]
}
