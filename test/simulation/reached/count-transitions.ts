import { type AnyStateNode, StateNode } from 'xstate'
import { chargeMachine } from '../../../machines/charge.ts'
import { deliveryMachine } from '../../../machines/delivery.ts'
import { endpointHealthMachine } from '../../../machines/endpoint-health.ts'
import { payoutMachine } from '../../../machines/payout.ts'
import { refundMachine } from '../../../machines/refund.ts'
import { isOnMachine } from '../engine/owned-process.ts'

/** A transition of a state, as xstate stores it. */
type Transition = {
  readonly eventType: string
  readonly guard?: unknown
  readonly target?: readonly { readonly key: string }[] | undefined
}

/** The function of a state that chooses the transitions for an event. */
type Chooser = {
  next: (snapshot: unknown, event: { readonly type: string }) => readonly Transition[] | undefined
}

/** The machines whose states are stored in the database. */
const MACHINES = [chargeMachine, payoutMachine, refundMachine, deliveryMachine, endpointHealthMachine]

/** Returns the name of every transition of every machine, and of every refusal by a guard. */
export function listTransitions(): readonly string[] {
  return MACHINES.flatMap(({ root }) => listNodes(root as unknown as AnyStateNode)).flatMap((node) =>
    [...node.transitions.keys()].flatMap((eventType) =>
      listCandidates(node, eventType).flatMap((transition, at) => {
        const name = nameOf(node, transition, at)
        return transition.guard === undefined ? [name] : [name, refusalOf(name)]
      }),
    ),
  )
}

/**
 * Counts the transitions that simulated processes take, and the transitions that guards refuse.
 *
 * @param count - called with the name of each transition or refusal
 */
export function countTransitions(count: (name: string) => void): void {
  const prototype = StateNode.prototype as unknown as Chooser
  const { next } = prototype
  prototype.next = function (this: AnyStateNode, snapshot, event) {
    const taken = next.call(this, snapshot, event)
    if (isOnMachine()) for (const name of listCounted(this, event, taken?.[0])) count(name)
    return taken
  }
}

/** Returns the names of the transition that was taken and of the refusals before it. */
function listCounted(
  node: AnyStateNode,
  { type }: { readonly type: string },
  taken: Transition | undefined,
): readonly string[] {
  const candidates = listCandidates(node, type)
  const at = taken === undefined ? candidates.length : candidates.indexOf(taken)
  const names = candidates.map((candidate, place) => nameOf(node, candidate, place))
  return names.slice(0, at + 1).map((name, place) => (place === at ? name : refusalOf(name)))
}

function listCandidates(node: AnyStateNode, eventType: string): readonly Transition[] {
  return (node.transitions.get(eventType) ?? []) as unknown as readonly Transition[]
}

function listNodes(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap((each) => listNodes(each as unknown as AnyStateNode))]
}

function nameOf({ id }: AnyStateNode, { eventType, target }: Transition, at: number): string {
  const to = target?.map(({ key }) => key).join(', ') ?? 'itself'
  return `${id}: ${eventType} (${at + 1}) leads to ${to}`
}

function refusalOf(name: string): string {
  return `${name}: refused by its guard`
}
