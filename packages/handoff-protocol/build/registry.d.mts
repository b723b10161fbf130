/** An item of a shadcn registry. */
export interface RegistryItem {
  $schema: string;
  name: string;
  type: string;
  title: string;
  description: string;
  files: { path: string; target: string; type: string; content: string }[];
}

export function registryItem(): RegistryItem;
