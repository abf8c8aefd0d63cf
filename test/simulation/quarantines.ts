import {
  listQuarantinedCharges,
  quarantineCharge,
  releaseQuarantinedCharge,
} from '../../shared/db/charges/daemon/quarantined-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { Plan } from './plan-types.ts'
import type { PlannedQuarantine } from './planned-repair.ts'

type Terms = {
  readonly scheduler: Scheduler
  /** The process of the operators' commands, and its connections. */
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly database: Pick<SimulatedDatabase, 'sql'>
  readonly plan: Pick<Plan, 'quarantines'>
  readonly charges: readonly ChargeRecord[]
}

/** The message of the database's error in a failing turn. */
export const TURN_FAULT = 'a simulated fault of the turn'
/** Version of a daemon of another build. */
const OTHER_BUILD = '0.0.1-other'
const OTHER_BUILD_POLL_MS = 3_000
/** Time between two releases of charges whose turns still fail. */
const EARLY_RELEASE_MS = 2_000
/** Minimum time between two looks at the quarantined charges. */
const LOOK_MS = 5_000

/**
 * Installs a trigger that rejects the result of each turn of the charges in `failing_charges`, like a value that its
 * column does not admit.
 *
 * @param sql - the owner's connection
 */
export async function installTurnFaults(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create table failing_charges (charge_id text not null, number int not null);
    create function fail_turn() returns trigger language plpgsql
      security definer set search_path = public, pg_catalog as $$
    begin
      if exists (select from failing_charges f where f.charge_id = new.id) then
        raise exception '${TURN_FAULT}' using errcode = '22003';
      end if;
      return new;
    end $$;
    create trigger fail_turn before update of status on charges for each row execute function fail_turn();`)
}

/**
 * Schedules the faults that quarantine charges. Each is a named fault of the scheduler. When the turns no longer fail,
 * operators release the quarantined charges; the daemons themselves release those that another build has quarantined.
 */
export function planQuarantines(terms: Terms): void {
  const { scheduler, plan, charges } = terms
  for (const [index, planned] of plan.quarantines.entries()) {
    const run = async () => {
      if (!scheduler.meets('quarantine', `${index} ${planned.kind}`, 1)) return
      const ids = charges.map(({ id }) => id)
      const { chargeIndex } = planned
      const chosen = chargeIndex === null ? ids : ids.slice(chargeIndex % ids.length).slice(0, 1)
      if (planned.kind === 'another build') quarantineByOtherBuild(terms, planned, chosen)
      else await failTurns(terms, { planned, index, ids: chosen })
    }
    scheduler.later({ delayMs: planned.atMs, process: null, label: `${planned.kind} ${index}`, run })
  }
}

type Failing = {
  readonly planned: PlannedQuarantine
  readonly index: number
  readonly ids: readonly string[]
}

async function failTurns(terms: Terms, { planned, index, ids }: Failing): Promise<void> {
  const { scheduler, process, database } = terms
  const { forMs, isReleasedEarly } = planned
  for (const id of ids) await database.sql`insert into failing_charges values (${id}, ${index})`
  const end = async () => {
    await database.sql`delete from failing_charges where number = ${index}`
    scheduler.later({ delayMs: 0, process, label: 'releases charges', run: () => void keepReleasing(terms) })
  }
  scheduler.later({ delayMs: forMs, process: null, label: `end of ${planned.kind} ${index}`, run: end })
  if (!isReleasedEarly) return
  // After several failures without a success, the daemon no longer quarantines the charge.
  const run = () => void releaseAll(terms)
  for (let delayMs = EARLY_RELEASE_MS; delayMs < forMs; delayMs += EARLY_RELEASE_MS)
    scheduler.later({ delayMs, process, label: 'releases charges too early', run })
}

/** Quarantines charges as a daemon of another build does, until that daemon stops. */
function quarantineByOtherBuild(terms: Terms, { forMs }: PlannedQuarantine, ids: readonly string[]): void {
  const { scheduler, process, sql } = terms
  const quarantine = async () => {
    for (const id of ids) await quarantineCharge(sql, { id, build: OTHER_BUILD })
  }
  for (let delayMs = 0; delayMs < forMs; delayMs += OTHER_BUILD_POLL_MS)
    scheduler.later({ delayMs, process, label: 'another build', run: () => void quarantine() })
}

/** Releases all quarantined charges until the history ends, because a turn that had begun may still fail. */
async function keepReleasing(terms: Terms): Promise<void> {
  const { scheduler, process } = terms
  await releaseAll(terms)
  const delayMs = Math.max(LOOK_MS, scheduler.calmStepMs())
  const run = () => void keepReleasing(terms)
  scheduler.later({ delayMs, process, label: 'looks for quarantined charges', run })
}

/**
 * Releases all quarantined charges, and a charge that does not exist, as an operator who mistypes its id would. Throws
 * if that charge counts as released.
 */
async function releaseAll({ sql }: Pick<Terms, 'sql'>): Promise<void> {
  for (const { id } of await listQuarantinedCharges(sql)) await releaseQuarantinedCharge(sql, id)
  const released = await releaseQuarantinedCharge(sql, 'ch_missing')
  if (released !== undefined) throw new Error('a charge that does not exist was released')
}
