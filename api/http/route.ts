import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { AuthenticatedKey } from '../../shared/db/organizations/api/authenticate.ts'
import type { ErrorCode } from '../../shared/domain/errors.ts'
import type { Scope } from '../../shared/domain/scope.ts'
import type { FieldRules } from './middleware/validate.ts'
import type { JsonDocument } from './parse-json.ts'

/** A limit that an endpoint has in addition to the general limit. */
export type ExtraLimit = 'transferability' | 'metrics' | 'checks'

/** A request that was authenticated and validated. */
export type Request<Query, Body> = {
  /**
   * Counts the request against the extra limit. Only for routes with `isExtraTakenByHandler`; others have been counted.
   */
  readonly takeExtra: () => Promise<void>
  readonly key: AuthenticatedKey
  /** The `Request-Id` of the response; a UUID. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** Returns the source text of a member of an object in `body`. */
  readonly sourceOf: JsonDocument['sourceOf']
}

/** A type of event of a stream: its `event:` line, and the schema of the JSON in its `data:`. */
export type StreamEvent = { readonly name: string; readonly summary: string; readonly data: TSchema }

type Success =
  | {
      readonly status: 200 | 201 | 202 | 204
      readonly body: TSchema | null
      /** Descriptions of the response's own headers by name, for the API document. */
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly status: 200
      readonly body: 'event-stream'
      readonly events: readonly StreamEvent[]
      /** Whether `Last-Event-ID` resumes the stream after a lost connection. */
      readonly isResumable: boolean
      /** Description of status 204 in the API document, for a stream that can end. */
      readonly whenOver?: string
    }
  | { readonly status: 200; readonly body: 'svg' }
  | {
      readonly status: 200
      readonly body: 'text'
      /** One content type for each format that a request can choose. */
      readonly contentTypes: readonly string[]
      readonly headers: Readonly<Record<string, string>>
    }

type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path in the syntax of @koa/router: `/v1/charges/:id`. */
  readonly path: `/v1/${string}`
  /** Unique and permanent name in the API document and in generated code: a verb and its object. */
  readonly operationId: string
  /** Purpose of the endpoint in one sentence, for the API document. */
  readonly summary: string
  /** Further details for callers. Text in backticks is shown as code. */
  readonly description?: string
  readonly extraLimit?: ExtraLimit
  /**
   * Whether the handler counts the request against the extra limit, once the request can succeed. By default it is
   * counted before the scope is checked.
   */
  readonly isExtraTakenByHandler?: boolean
  readonly success: Success
  /** Error codes of this endpoint, in addition to the codes of every endpoint with the same access. */
  readonly errors: readonly ErrorCode[]
  /** Response bodies by status, where they replace the Error shape. */
  readonly ownFailures?: Readonly<Record<number, TSchema>>
}

/** An endpoint that requires an API key. */
export type KeyedRoute<Query extends TObject = TObject, Body extends TObject = TObject> = Endpoint & {
  readonly access: 'key'
  /**
   * The required scope; `null` if none is required. If several scopes are given, any of them is sufficient here, and
   * the handler checks which scope the request needs.
   */
  readonly scope: Scope | readonly Scope[] | null
  readonly query?: Query
  readonly body?: {
    readonly schema: Body
    readonly rules?: FieldRules<Body>
    /** Whether a request without a body counts as `{}`. */
    readonly isOptional?: boolean
    /** Maximum body size; 64 KiB by default. */
    readonly maxBytes?: number
  }
  /** Descriptions of the endpoint's request headers by name, for the API document. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Returns the body of the success: a value to send as JSON, or a string that already contains JSON, such as a
   * charge. Returns undefined if the success has no body, or if the handler has written the response itself.
   */
  readonly handle: (request: Request<Static<Query>, Static<Body>>, ctx: Context) => Promise<unknown>
}

/** An endpoint that needs no key. */
export type PublicRoute = Endpoint & {
  readonly access: 'public'
  readonly handle: (ctx: Context) => Promise<void>
}

/** An entry of the route table, which is used to mount the endpoints and to write the API document. */
export type Route = KeyedRoute | PublicRoute

/** Creates a route whose handler is typed by the route's schemas. */
export function keyedRoute<Query extends TObject, Body extends TObject>(
  route: Omit<KeyedRoute<Query, Body>, 'access'>,
): Route {
  // The table holds routes of all types. `mountRoutes` passes each handler only values that match the route's schemas.
  return { ...route, access: 'key' } as unknown as Route
}
