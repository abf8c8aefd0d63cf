import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { AuthenticatedKey } from '../shared/db/organizations/api/authenticate.ts'
import type { ErrorCode } from '../shared/domain/errors.ts'
import type { Scope } from '../shared/domain/scope.ts'
import type { FieldRules } from './middleware/validate.ts'
import type { JsonDocument } from './parse-json.ts'

/** A limit of its own that an endpoint has besides the general one, per organization. */
export type ExtraLimit = 'transferability' | 'metrics' | 'checks'

/** A request that was let in and is valid. */
export type Request<Query, Body> = {
  /** Counts against the route's own limit, where the handler does so itself (`isExtraTakenByHandler`). */
  readonly takeExtra: () => Promise<void>
  readonly key: AuthenticatedKey
  /** The `Request-Id` of its answer; a UUID. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** Answers the source text of a member of an object in `body`. */
  readonly sourceOf: JsonDocument['sourceOf']
}

/** One kind of event of a stream: its `event:` line, and the schema of its `data:` as JSON. */
export type StreamEvent = { readonly name: string; readonly summary: string; readonly data: TSchema }

type Success =
  | {
      readonly status: 200 | 201 | 202 | 204
      readonly body: TSchema | null
      /** Headers of its own, each with what it says; for the API document. */
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly status: 200
      readonly body: 'event-stream'
      readonly events: readonly StreamEvent[]
      /** `Last-Event-ID` goes on where a lost connection left off. */
      readonly isResumable: boolean
      /** What 204 says, where a stream has an end; for the API document. */
      readonly whenOver?: string
    }
  | { readonly status: 200; readonly body: 'svg' }

type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As @koa/router writes it: `/v1/charges/:id`. */
  readonly path: `/v1/${string}`
  /** Its name in the API document and whatever is generated from that: a verb and its object, unique, for ever. */
  readonly operationId: string
  /** What it does, in one sentence; for the API document. */
  readonly summary: string
  /** What a caller should know besides; plain sentences, with `code`. */
  readonly description?: string
  readonly extraLimit?: ExtraLimit
  /** Whether the handler counts against it, once it knows that the request can be granted; by default the gate does. */
  readonly isExtraTakenByHandler?: boolean
  readonly success: Success
  /** The codes it can answer besides those that every endpoint of its access can. */
  readonly errors: readonly ErrorCode[]
  /** What it answers at a status where others answer the Error shape. */
  readonly ownFailures?: Readonly<Record<number, TSchema>>
}

/** An endpoint that needs an API key, and this scope, one of these scopes, or none. */
export type KeyedRoute<Query extends TObject = TObject, Body extends TObject = TObject> = Endpoint & {
  readonly access: 'key'
  /** Of several each lets a request in; which of them this very request takes, the handler knows. */
  readonly scope: Scope | readonly Scope[] | null
  readonly query?: Query
  readonly body?: {
    readonly schema: Body
    readonly rules?: FieldRules<Body>
    /** A request without a body means `{}`. */
    readonly isOptional?: boolean
    /** Where 64 KiB are too few. */
    readonly maxBytes?: number
  }
  /** Request headers of its own, each with its meaning; for the API document. */
  readonly headers?: Readonly<Record<string, string>>
  readonly handle: (ctx: Context, request: Request<Static<Query>, Static<Body>>) => Promise<void>
}

/** An endpoint for everybody. */
export type PublicRoute = Endpoint & {
  readonly access: 'public'
  readonly handle: (ctx: Context) => Promise<void>
}

/** One line of the route table: what is mounted, validated against, and written to the API document. */
export type Route = KeyedRoute | PublicRoute

/** Types a route's handler by its schemas, and answers the route for the table. */
export function keyedRoute<Query extends TObject, Body extends TObject>(
  route: Omit<KeyedRoute<Query, Body>, 'access'>,
): Route {
  // The table holds routes of all types; `mountRoutes` passes each handler what its own schemas let through.
  return { ...route, access: 'key' } as unknown as Route
}
