import { HandoffProtocol } from '@/components/HandoffProtocol';

export function App() {
  const payload = [
    { label: 'Scraped URLs', value: '42 pages processed' },
    { label: 'Extraction Rule', value: 'Find pricing tables' },
    { label: 'Cost Incurred', value: '$0.45' }
  ];

  return (
    <div className="p-4 border border-zinc-200 dark:border-zinc-800 rounded-lg max-w-lg">
      <HandoffProtocol 
        sourceAgent="Web Scraper"
        destinationAgent="Data Synthesizer"
        goal="Extract pricing tiers into standardized JSON structure."
        summary="I have crawled the target domain and identified 42 pages containing tabular data that likely represent pricing structures."
        payload={payload}
        nextRequest="Please parse the HTML tables in this payload and ensure the resulting JSON matches the ProductTier schema."
        canIntercept={true}
        onAccept={() => console.log('Handoff proceeds')}
        onIntercept={() => console.log('Human takes over')}
        onCancel={() => console.log('Handoff cancelled')}
      />
    </div>
  );
}
