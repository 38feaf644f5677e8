/** The same callback as if it came from another job. */

/** Its files' refs name the new job wherever they named the old one as a part of their path. */
export function ofJob(
  callback: Readonly<Record<string, unknown>>,
  jobId: string,
): Record<string, unknown> & { readonly job_id: string } {
  const rename = (key: string, value: unknown): unknown =>
    key === 'ref' && typeof value === 'string' ? renamed(value, callback['job_id'], jobId) : value;
  return { ...(JSON.parse(JSON.stringify(callback), rename) as Record<string, unknown>), job_id: jobId };
}

function renamed(ref: string, before: unknown, after: string): string {
  const parts = ref.split('/');
  return parts.map((part) => (part === before ? after : part)).join('/');
}
