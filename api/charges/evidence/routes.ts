import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../../shared/db/connect.ts'
import {
  type EvidencePosition,
  listEvidenceLogs,
  listEvidenceTransactions,
  MAX_LOGS_LISTED,
} from '../../../shared/db/evidence/api/charge-evidence.ts'
import { inReadOnly } from '../../../shared/db/transaction.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import type { ApiConfig } from '../../../shared/runtime/api-config.ts'
import { type CursorScope, decodeCursor, encodeCursor, type Position } from '../../http/cursor.ts'
import { keyedRoute, type Request, type Route } from '../../http/route.ts'
import { DEFAULT_LIMIT } from '../../http/schema.ts'
import type { GetCharge } from '../get-charge.ts'
import { presentEvidence } from './present.ts'
import { ChargeEvidence, EvidenceQuery } from './schema.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<ApiConfig, 'cursorSecrets' | 'maxPageBytes'>
  readonly getCharge: GetCharge
}

type EvidenceRequest = Request<Static<typeof EvidenceQuery>, unknown>

/** Returns the endpoint for the evidence of a charge. */
export function evidenceRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/evidence',
      operationId: 'getChargeEvidence',
      summary: 'Get evidence of the payments and distributions of a charge',
      description: `Returns, per transaction and oldest first, its counted logs and a proof that their receipt is in its block. Anyone who trusts the block's hash can verify offline that the payment reached the charge's address and whom its split paid: \`verify-payment\` of the client package does so. Credits of the sandbox are on no chain and are not listed. Lists at most the first ${MAX_LOGS_LISTED} logs per transaction.`,
      scope: 'charges:read',
      query: EvidenceQuery,
      success: { status: 200, body: ChargeEvidence },
      errors: ['charge_not_found'],
      handle: (request) => readEvidence(deps, request),
    }),
  ]
}

/** Returns one page. A page that would exceed the maximum size in bytes ends early, with `hasMore: true`. */
async function readEvidence({ sql, config, getCharge }: Deps, request: EvidenceRequest) {
  const { charge } = await getCharge(request)
  const { cursor, limit = DEFAULT_LIMIT } = request.query
  const scope: CursorScope = { secrets: config.cursorSecrets, list: 'evidence', filter: [charge.id] }
  const after = cursor === undefined ? null : toEvidencePosition(decodeCursor(scope, cursor))
  const chargeId = charge.id
  const { page, logs } = await inReadOnly(sql, async (db) => {
    const page = await listEvidenceTransactions(db, { chargeId, after, limit, maxBytes: config.maxPageBytes })
    return { page, logs: await listEvidenceLogs(db, { chargeId, transactions: page.transactions }) }
  })
  const last = page.transactions.at(-1)
  const hasNext = page.hasMore && last !== undefined
  return {
    ...presentEvidence(charge, { transactions: page.transactions, logs }),
    nextCursor: hasNext ? encodeCursor(scope, toCursorPosition(last)) : null,
    hasMore: page.hasMore,
  }
}

function toCursorPosition(position: EvidencePosition): Position {
  const { blockTimestamp, chainId, blockNumber, txHash, blockHash } = position
  return { atMicros: blockTimestamp * 1_000_000, id: `${chainId}/${blockNumber}/${txHash}/${blockHash}` }
}

function toEvidencePosition({ atMicros, id }: Position): EvidencePosition {
  const [chainId, blockNumber, txHash, blockHash] = id.split('/')
  return {
    ...{ blockTimestamp: atMicros / 1_000_000, chainId: Number(chainId) },
    ...{ blockNumber: Number(blockNumber), txHash: txHash as Hex, blockHash: blockHash as Hex },
  }
}
