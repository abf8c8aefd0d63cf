/** JSON Schema 2020-12, as used in the document. */
export type SchemaJson = {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, SchemaJson>>
  readonly required?: readonly string[]
  readonly items?: SchemaJson
  readonly anyOf?: readonly SchemaJson[]
  readonly allOf?: readonly SchemaJson[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly [keyword: string]: unknown
}

export type Reference = { readonly $ref: string }

type Header = { readonly description: string; readonly schema: SchemaJson } | Reference

export type Example = { readonly summary: string; readonly value: unknown }

export type MediaType = {
  readonly schema: SchemaJson
  readonly examples?: Readonly<Record<string, Example>>
}

export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: SchemaJson
}

export type RequestBody = {
  readonly required: boolean
  readonly content: Readonly<Record<string, MediaType>>
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBody | Reference
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export type Method = 'get' | 'post' | 'patch' | 'delete'

export type PathItem = Readonly<Partial<Record<Method, Operation>>>

/** The parts of an OpenAPI 3.1 document that this service uses. See https://spec.openapis.org/oas/v3.1.1.html */
export type OpenApiDocument = {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly headers: Readonly<Record<string, Header>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly requestBodies: Readonly<Record<string, RequestBody>>
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, SchemaJson>>
  }
}
