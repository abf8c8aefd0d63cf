import { createRandomStream } from '../engine/chance.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Plan } from '../plan-types.ts'
import { ORGANIZATIONS, type Organization } from '../world.ts'
import type { Client } from './client.ts'
import { type Walk, walkPages } from './walk-pages.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly client: Client
  readonly plan: Plan
  /** List to which completed walks are added. */
  readonly walks: Walk[]
}

/** Maximum pause between two pages, during which charges can be created. */
const MAX_REST_MS = 1_500

/**
 * Plans the reads of organizations, which walk through the pages of their charges while charges are created, read
 * single charges, and try to read a charge of another organization.
 */
export function beginReaders({ scheduler, client, plan, walks }: Terms): void {
  const random = createRandomStream(scheduler.seed, 'readers')
  const later = (delayMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs, process: null, label, run })
  const rest = () =>
    new Promise<void>((resolve) => later(random.integer(MAX_REST_MS), 'reads the next page', resolve))
  const count = random.pick([0, 1, 2, 2])
  for (let index = 0; index < count; index += 1) {
    const organization = random.pick(listOrganizations(plan))
    const limit = 1 + random.integer(3)
    later(1_000 + random.integer(plan.troubledMs), `walk ${index}`, () => void read(organization, limit))
  }

  async function read(organization: Organization, limit: number): Promise<void> {
    walks.push(await walkPages({ client, organization, limit, nowMs: scheduler.nowMs, rest }))
    for (const id of pickIds(organization))
      await client.insist({ organization, method: 'GET', path: `/v1/charges/${id}`, body: null })
  }

  /** Picks one created charge of the organization and one of another organization, if they exist. */
  function pickIds({ id: reader }: Organization): readonly string[] {
    const isOwn = ({ organizationId }: { readonly organizationId: string }) => organizationId === reader
    const created = client.exchanges.filter(({ status }) => status === 201)
    const groups = [created.filter(isOwn), created.filter((each) => !isOwn(each))]
    return groups.flatMap((group) => (group.length === 0 ? [] : (random.pick(group).charges[0]?.id ?? [])))
  }
}

/** Returns the organizations that create charges in this history. */
function listOrganizations({ deployments }: Plan): readonly Organization[] {
  const environments = new Set(deployments.map(({ environment }) => environment))
  return ORGANIZATIONS.filter(({ environment }) => environments.has(environment))
}
